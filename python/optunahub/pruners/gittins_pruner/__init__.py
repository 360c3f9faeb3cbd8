from gittins.optuna import GittinsPruner


__all__ = ["GittinsPruner"]
