//! What is written down, in the units of a view.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value, from_value, to_value};

use crate::view::View;

/// The same as a twin sees it. What a number measures is known from its key.
pub fn seen<T: Serialize + DeserializeOwned>(what: &T, view: &View, maximize: bool) -> T {
    let mut data = to_value(what).expect("data");
    turn("", &mut data, view, maximize);
    from_value(data).expect("the same data in other units")
}

fn turn(key: &str, data: &mut Value, view: &View, maximize: bool) {
    match data {
        Value::Array(list) => list.iter_mut().for_each(|data| turn(key, data, view, maximize)),
        // The threshold of a probability has no unit.
        Value::Object(map) if map.get("name") == Some(&"probability_of_improvement".into()) => {}
        Value::Object(map) => {
            map.iter_mut().for_each(|(key, data)| turn(key, data, view, maximize));
        }
        Value::Number(number) => {
            let own = number.as_f64().unwrap_or(f64::NAN);
            let turned = match key {
                "price" | "lambda" => view.price(own),
                "budget" | "limit" | "width" | "cost_floor" => view.cost(own),
                "gap" | "epsilon" | "threshold" => view.difference(own),
                "maximum" | "maxima" | "current" | "level" => view.turned(own, maximize),
                // Of an estimated maximum; the noise of a model stands deeper.
                "noise" => view.difference(view.difference(own)),
                _ => return,
            };
            *number = Number::from_f64(turned).expect("a unit in which it is a number");
        }
        _ => {}
    }
}
