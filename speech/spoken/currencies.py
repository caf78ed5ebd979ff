"""Signs and codes of money."""

from __future__ import annotations

from speech.spoken.words import words

SYMBOL_CODES = {
    "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "￥": "JPY", "円": "JPY", "元": "CNY",
    "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₪": "ILS", "฿": "THB", "₫": "VND",
    "₦": "NGN", "₱": "PHP", "₴": "UAH", "₡": "CRC", "₲": "PYG", "₵": "GHS", "₸": "KZT",
    "₾": "GEL", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "R$": "BRL",
}  # fmt: skip
"""The sign and whose money it is; said by its short name, "dollars"."""

NATIONAL = {
    "US$": "USD", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD",
    "HK$": "HKD", "S$": "SGD", "NT$": "TWD", "MX$": "MXN", "CN¥": "CNY", "RMB": "CNY",
    "USD$": "USD", "CAD$": "CAD", "AUD$": "AUD", "Fr.": "CHF", "Rs.": "INR", "Rs": "INR",
}  # fmt: skip
"""Said by the full name, "Canadian dollars"."""

CODES = words(
    "USD EUR GBP JPY CNY INR CHF CAD AUD NZD HKD SGD SEK NOK DKK PLN CZK HUF RON BGN RUB "
    "UAH TRY ILS AED SAR EGP ZAR NGN KES GHS BRL MXN ARS CLP COP PEN KRW TWD THB VND IDR "
    "MYR PHP PKR BTC"
)

CENTS = {
    **dict.fromkeys(("USD", "EUR", "CAD", "AUD", "NZD", "HKD", "SGD", "ZAR"), ("cent", "cents")),
    **dict.fromkeys(("BRL", "MXN", "PHP", "ARS", "COP"), ("centavo", "centavos")),
    "GBP": ("penny", "pence"),
    "INR": ("paisa", "paise"),
    "CHF": ("centime", "centimes"),
    "PLN": ("grosz", "groszy"),
    "RUB": ("kopeck", "kopecks"),
}
"""The hundredth part in English; CLDR has no names for it."""
