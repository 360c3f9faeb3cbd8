"""A search for scikit-learn.

`GittinsSearchCV` is used as `RandomizedSearchCV` is. It pays for a cross-validation fold by fold,
and leaves a setting once its other folds are not worth their seconds.
"""

try:
    import sklearn as _sklearn  # type: ignore[import-untyped]  # noqa: F401
except ModuleNotFoundError as _error:
    if _error.name != "sklearn":
        raise
    _message = 'gittins.sklearn needs scikit-learn: pip install "gittins[sklearn]"'
    raise ImportError(_message) from _error

from gittins.sklearn.search import GittinsSearchCV

__all__ = ["GittinsSearchCV"]
