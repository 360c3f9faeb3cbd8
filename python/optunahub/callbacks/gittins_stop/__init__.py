from gittins.optuna import GittinsStop


__all__ = ["GittinsStop"]
