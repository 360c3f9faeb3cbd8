"""SMAC 2 (Lindauer et al. 2022) on a table: its arms are a choice, its items are instances."""

import logging
import tempfile

from ConfigSpace import Categorical, ConfigurationSpace
from smac import AlgorithmConfigurationFacade as Facade
from smac import Scenario
from smac.main.exceptions import ConfigurationSpaceExhaustedException
from smac.runhistory.dataclasses import TrialValue

from tables import Run


def smac(scores, costs, marks):
    """The facade for algorithm configuration with its defaults; a trial costs 1 - score.

    The choice is the incumbent. SMAC asks for a trial, one item of one arm, is told what came of
    it, and the money of the cell is paid. It drops an arm for good once the incumbent is no worse
    on the items that the arm has seen, be it one. When all arms were tried it ends: what it chose
    stands at all larger sums. It may look for arms not tried yet as often as there are cells
    (by default 16 times), so that none is left out.
    """
    run, (k, n_items) = Run(scores, costs, marks), scores.shape
    space = ConfigurationSpace(seed=0)
    space.add(Categorical("arm", [f"c{arm}" for arm in range(k)]))
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            space, output_directory=folder, deterministic=True, n_trials=scores.size, seed=0,
            instances=[str(item) for item in range(n_items)],
        )
        selector = Facade.get_config_selector(scenario, retries=scores.size)
        facade = Facade(scenario, config_selector=selector, overwrite=True, logging_level=False)
        while True:
            try:
                trial = facade.ask()
            except ConfigurationSpaceExhaustedException:
                return run.end()
            arm, item = int(trial.config["arm"][1:]), int(trial.instance)
            if not run.pay(costs[arm, item]):
                return run.end()
            told = TrialValue(cost=1 - scores[arm, item], time=float(costs[arm, item]))
            facade.tell(trial, told, save=False)
            run.choice = int(facade.intensifier.get_incumbents()[0]["arm"][1:])
