"""Rooms: the bot as a participant of a LiveKit or Daily room."""
