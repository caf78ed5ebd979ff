"""``earshot doctor``: is everything there that a conversation needs?"""
