//! The table of all units of the calculator: symbols, names, kinds, dimensions and factors.
//! Factors are those of the International System of Units (9th brochure) and of the international
//! yard and pound agreement; customary measures are those of the USA.

use std::f64::consts::{PI, TAU};

use crate::dimension::Dimension;
use crate::unit::Unit;

const LENGTH: Dimension = Dimension::new([1, 0, 0, 0, 0, 0, 0]);
const AREA: Dimension = Dimension::new([2, 0, 0, 0, 0, 0, 0]);
const VOLUME: Dimension = Dimension::new([3, 0, 0, 0, 0, 0, 0]);
const MASS: Dimension = Dimension::new([0, 1, 0, 0, 0, 0, 0]);
const TIME: Dimension = Dimension::new([0, 0, 1, 0, 0, 0, 0]);
const TEMPERATURE: Dimension = Dimension::new([0, 0, 0, 1, 0, 0, 0]);
const CURRENT: Dimension = Dimension::new([0, 0, 0, 0, 1, 0, 0]);
const AMOUNT: Dimension = Dimension::new([0, 0, 0, 0, 0, 1, 0]);
const DATA: Dimension = Dimension::new([0, 0, 0, 0, 0, 0, 1]);
const SPEED: Dimension = Dimension::new([1, 0, -1, 0, 0, 0, 0]);
const FREQUENCY: Dimension = Dimension::new([0, 0, -1, 0, 0, 0, 0]);
const FORCE: Dimension = Dimension::new([1, 1, -2, 0, 0, 0, 0]);
const PRESSURE: Dimension = Dimension::new([-1, 1, -2, 0, 0, 0, 0]);
const ENERGY: Dimension = Dimension::new([2, 1, -2, 0, 0, 0, 0]);
const POWER: Dimension = Dimension::new([2, 1, -3, 0, 0, 0, 0]);
const CHARGE: Dimension = Dimension::new([0, 0, 1, 0, 1, 0, 0]);
const VOLTAGE: Dimension = Dimension::new([2, 1, -3, 0, -1, 0, 0]);
const RESISTANCE: Dimension = Dimension::new([2, 1, -3, 0, -2, 0, 0]);
const CAPACITANCE: Dimension = Dimension::new([-2, -1, 4, 0, 2, 0, 0]);

const POUND_KG: f64 = 0.453_592_37;
const GALLON_M3: f64 = 0.003_785_411_784;
const YEAR_S: f64 = 365.25 * 86_400.0;

const fn unit(
    symbol: &'static str,
    names: &'static [&'static str],
    kind: &'static str,
    dimension: Dimension,
    factor: f64,
) -> Unit {
    Unit::new(symbol, names, kind, dimension, factor)
}

/// Every unit, those of one kind together.
pub static UNITS: &[Unit] = &[
    unit("m", &["metre", "meter"], "length", LENGTH, 1.0).decimal(),
    unit("inch", &["inches"], "length", LENGTH, 0.0254),
    unit("ft", &["foot", "feet"], "length", LENGTH, 0.3048),
    unit("yd", &["yard"], "length", LENGTH, 0.9144),
    unit("mi", &["mile"], "length", LENGTH, 1609.344),
    unit("nmi", &["nautical_mile"], "length", LENGTH, 1852.0),
    unit(
        "au",
        &["astronomical_unit"],
        "length",
        LENGTH,
        149_597_870_700.0,
    ),
    unit(
        "ly",
        &["light_year"],
        "length",
        LENGTH,
        9_460_730_472_580_800.0,
    ),
    unit("ha", &["hectare"], "area", AREA, 10_000.0),
    unit("acre", &[], "area", AREA, 4_046.856_422_4),
    unit(
        "sqft",
        &["square_foot", "square_feet"],
        "area",
        AREA,
        0.092_903_04,
    ),
    unit("L", &["l", "litre", "liter"], "volume", VOLUME, 0.001).decimal(),
    unit("gal", &["gallon"], "volume", VOLUME, GALLON_M3),
    unit("qt", &["quart"], "volume", VOLUME, GALLON_M3 / 4.0),
    unit("pt", &["pint"], "volume", VOLUME, GALLON_M3 / 8.0),
    unit("cup", &[], "volume", VOLUME, GALLON_M3 / 16.0),
    unit(
        "floz",
        &["fluid_ounce"],
        "volume",
        VOLUME,
        GALLON_M3 / 128.0,
    ),
    unit("tbsp", &["tablespoon"], "volume", VOLUME, GALLON_M3 / 256.0),
    unit("tsp", &["teaspoon"], "volume", VOLUME, GALLON_M3 / 768.0),
    unit("g", &["gram", "gramme"], "mass", MASS, 0.001).decimal(),
    unit("t", &["tonne"], "mass", MASS, 1000.0).decimal(),
    unit("lb", &["lbs", "pound"], "mass", MASS, POUND_KG),
    unit("oz", &["ounce"], "mass", MASS, POUND_KG / 16.0),
    unit("st", &["stone"], "mass", MASS, POUND_KG * 14.0),
    unit("ton", &["short_ton"], "mass", MASS, POUND_KG * 2000.0),
    unit("s", &["sec", "second"], "time", TIME, 1.0).decimal(),
    unit("min", &["minute"], "time", TIME, 60.0),
    unit("h", &["hr", "hour"], "time", TIME, 3600.0),
    unit("d", &["day"], "time", TIME, 86_400.0),
    unit("week", &["wk"], "time", TIME, 604_800.0),
    unit("month", &[], "time", TIME, YEAR_S / 12.0),
    unit("year", &["yr"], "time", TIME, YEAR_S),
    unit("K", &["kelvin"], "temperature", TEMPERATURE, 1.0).decimal(),
    unit(
        "degC",
        &["°C", "℃", "celsius"],
        "temperature",
        TEMPERATURE,
        1.0,
    )
    .from_zero(273.15),
    unit(
        "degF",
        &["°F", "℉", "fahrenheit"],
        "temperature",
        TEMPERATURE,
        5.0 / 9.0,
    )
    .from_zero(459.67 * 5.0 / 9.0),
    unit("A", &["amp", "ampere"], "current", CURRENT, 1.0).decimal(),
    unit("mol", &["mole"], "amount", AMOUNT, 1.0).decimal(),
    unit("bit", &["b"], "data", DATA, 1.0).binary(),
    unit("B", &["byte"], "data", DATA, 8.0).binary(),
    unit("rad", &["radian"], "angle", Dimension::NONE, 1.0),
    unit(
        "deg",
        &["°", "degree"],
        "angle",
        Dimension::NONE,
        PI / 180.0,
    ),
    unit(
        "turn",
        &["rev", "revolution"],
        "angle",
        Dimension::NONE,
        TAU,
    ),
    unit("kmh", &["kph"], "speed", SPEED, 1.0 / 3.6),
    unit("mph", &[], "speed", SPEED, 0.447_04),
    unit("kn", &["knot"], "speed", SPEED, 1852.0 / 3600.0),
    unit("Hz", &["hertz"], "frequency", FREQUENCY, 1.0).decimal(),
    unit("rpm", &[], "frequency", FREQUENCY, 1.0 / 60.0),
    unit("N", &["newton"], "force", FORCE, 1.0).decimal(),
    unit("lbf", &["pound_force"], "force", FORCE, POUND_KG * 9.806_65),
    unit("Pa", &["pascal"], "pressure", PRESSURE, 1.0).decimal(),
    unit("bar", &[], "pressure", PRESSURE, 100_000.0).decimal(),
    unit("atm", &["atmosphere"], "pressure", PRESSURE, 101_325.0),
    unit("psi", &[], "pressure", PRESSURE, 6_894.757_293_168_361),
    unit("mmHg", &["torr"], "pressure", PRESSURE, 133.322_387_415),
    unit("J", &["joule"], "energy", ENERGY, 1.0).decimal(),
    unit("Wh", &["watt_hour"], "energy", ENERGY, 3600.0).decimal(),
    unit("cal", &["calorie"], "energy", ENERGY, 4.184).decimal(),
    unit("eV", &["electronvolt"], "energy", ENERGY, 1.602_176_634e-19).decimal(),
    unit("BTU", &["btu"], "energy", ENERGY, 1_055.055_852_62),
    unit("W", &["watt"], "power", POWER, 1.0).decimal(),
    unit("hp", &["horsepower"], "power", POWER, 745.699_871_582_270_3),
    unit("C", &["coulomb"], "charge", CHARGE, 1.0).decimal(),
    unit("Ah", &["amp_hour"], "charge", CHARGE, 3600.0).decimal(),
    unit("V", &["volt"], "voltage", VOLTAGE, 1.0).decimal(),
    unit(
        "ohm",
        &["\u{3a9}", "\u{2126}"],
        "resistance",
        RESISTANCE,
        1.0,
    )
    .decimal(),
    unit("F", &["farad"], "capacitance", CAPACITANCE, 1.0).decimal(),
];
