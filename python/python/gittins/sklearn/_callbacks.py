"""What callbacks of scikit-learn are told of a search. scikit-learn has them from 1.9 on."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class Tasks:
    """The tasks of a search: the search itself, a fold of a candidate, and the last fit.

    Without callbacks nothing is called, so that other versions of scikit-learn need not have it.

    Args:
        search: The search.
        data: What callbacks are told of: inputs and targets, and weights as their metadata.
    """

    def __init__(self, search: Any, data: dict[str, Any]) -> None:
        self._search = search
        self._data = {"estimator": search, **data}
        self._count = 0
        self._root: Any = None
        self._course: Any = None
        if getattr(search, "_skl_callbacks", None):
            subtasks = 1 + (search.refit is not False)
            root = search._init_callback_context(max_subtasks=subtasks)
            self._root = root.call_on_fit_task_begin(**self._data)

    @contextmanager
    def search(self) -> Iterator[None]:
        """Tell of the search around what is inside."""
        if self._root is not None:
            # How many folds are fitted is not known before.
            task = self._root.subcontext(
                task_name="search", max_subtasks=None, sequential_subtasks=False
            )
            self._course = task.call_on_fit_task_begin(estimator=self._search)
        yield
        if self._course is not None:
            self._course.call_on_fit_task_end(estimator=self._search)

    def fold(self) -> dict[str, Any]:
        """Return what `_fit_and_score` takes to tell of a fold."""
        if self._course is None:
            return {}
        name = "candidate-split-evaluation"
        task = self._course.subcontext(task_name=name, task_id=self._count)
        self._count += 1
        return {"caller": self._search, "callback_ctx": task}

    @contextmanager
    def refit(self, estimator: Any) -> Iterator[None]:
        """Tell of the last fit around what is inside."""
        if self._root is None:
            yield
            return
        task = self._root.subcontext(task_name="refit-with-best-params")
        with task.propagate_callback_context(estimator):
            task.call_on_fit_task_begin(**self._data)
            yield
        task.call_on_fit_task_end(**self._data)

    def end(self) -> None:
        """Tell that all is done."""
        if self._root is not None:
            self._root.call_on_fit_task_end(**self._data)
