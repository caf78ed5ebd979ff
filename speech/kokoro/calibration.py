"""Sentences a voice is measured with: at least one for each length bucket but the last."""

SENTENCES = (
    "Yes, that is right, thank you very much.",
    "The train leaves at nine, and you should be there ten minutes before.",
    "I looked at the weather for tomorrow: it will be cold, with a little rain.",
    "That is a good question; let me think about it for a moment, and then I will try to "
    "give you a short answer.",
    "You can pay by card or in cash, whichever you prefer, and if you need a receipt, please "
    "ask at the desk on your way out, where somebody will be glad to help you with it.",
)
