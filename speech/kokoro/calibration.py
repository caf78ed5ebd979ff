"""Sentences a voice is measured with: at least one for each length bucket but the last.

Several for the shorter ones, as short sentences differ most: with one, some of 25 phonemes came out
3 dB too soft.
"""

SENTENCES = (
    "What a lovely surprise this is.",
    "I will be back in a minute.",
    "We have three rooms left.",
    "Would you like some milk in your coffee?",
    "Yes, that is right, thank you very much.",
    "The bus stops right in front of the house.",
    "My sister lives near the station, not far from the market.",
    "Nobody had told them that the shop would be closed today.",
    "He opened the letter, read it twice and put it away in a drawer.",
    "The train leaves at nine, and you should be there ten minutes before.",
    "I looked at the weather for tomorrow: it will be cold, with a little rain.",
    "That is a good question; let me think about it for a moment, and then I will try to "
    "give you a short answer.",
    "You can pay by card or in cash, whichever you prefer, and if you need a receipt, please "
    "ask at the desk on your way out, where somebody will be glad to help you with it.",
)
