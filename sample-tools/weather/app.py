"""The tool weather, which calls Open-Meteo."""

from __future__ import annotations

import openapi_client as _client
from wit_world import exports
from wit_world.exports import functions
from wit_world.imports.tool_hub_tool_types import Reply

API = "https://api.open-meteo.com"
API_2 = "https://geocoding-api.open-meteo.com"


class Functions(exports.Functions):
    def get_forecast(
        self,
        latitude: float,
        longitude: float,
        current: list[str] | None,
        hourly: list[str] | None,
        daily: list[str] | None,
        timezone: str | None,
        forecast_days: int | None,
        temperature_unit: functions.GetForecastTemperatureUnit | None,
        wind_speed_unit: functions.GetForecastWindSpeedUnit | None,
    ) -> Reply:
        return _client.call(
            "GET",
            API + "/v1/forecast",
            query={
                "latitude": latitude,
                "longitude": longitude,
                "current": _client.joined(current),
                "hourly": _client.joined(hourly),
                "daily": _client.joined(daily),
                "timezone": timezone,
                "forecast_days": forecast_days,
                "temperature_unit": _client.case(temperature_unit),
                "wind_speed_unit": _client.case(wind_speed_unit),
            },
        )

    def search_places(
        self,
        name: str,
        count: int | None,
        language: str | None,
        country_code: str | None,
    ) -> Reply:
        return _client.call(
            "GET",
            API_2 + "/v1/search",
            query={"name": name, "count": count, "language": language, "countryCode": country_code},
            names={"countryCode": "country_code"},
        )
