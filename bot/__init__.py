"""The application: commands, configuration, pipeline, conversation."""
