"""What the engines on Amazon's services share.

Modules named ``sdk_…`` import Amazon's packages and are imported only by an engine that runs.
"""
