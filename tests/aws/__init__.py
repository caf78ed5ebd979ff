"""A double of Amazon's services, as far as the documents tell of them, for the unmodified SDK.

``emulator.Emulator`` is SageMaker's runtime and Polly on loopback, with a container's address
behind it. It has never been compared with the real services.
"""
