"""Sentences a voice is measured with: several for each length bucket but the last.

Sentences differ, the shortest ones most: with one for the bucket, some of 25 phonemes came out 3 dB
too soft, some of 120 phonemes 1.4 dB too loud. Mostly plain statements without pauses, as replies
are: pauses count in what is measured, and sentences with many are not like the others.
"""

SENTENCES = (
    "What a lovely surprise this is.",
    "I will be back in a minute.",
    "We have three rooms left.",
    "Would you like some milk in your coffee?",
    "The bus stops right in front of the house.",
    "It takes a while to get used to it.",
    "Your parcel arrived this morning.",
    "I can move the meeting to Thursday if you want.",
    "The kitchen window still has to be cleaned today.",
    "There is a small lake behind the last row of houses.",
    "My sister lives near the station, not far from the market.",
    "Nobody had told them that the shop would be closed today.",
    "He opened the letter, read it twice and put it away in a drawer.",
    "The train leaves at nine, and you should be there ten minutes before.",
    "The hotel has a garden on the roof where guests can have breakfast when the sun is out.",
    "We sent you a new password yesterday and it will work until the end of the month.",
    "Most of the shops in the old town close early on Sundays but the bakery stays open all day.",
    "The first part of the journey follows the coast and the second part goes through a long "
    "tunnel under the mountains before you reach the valley.",
    "I have written down everything you told me about the noise in the engine and our mechanic "
    "will look at the car as soon as he comes back from lunch.",
)
