"""An example for each operator, shown by help() and run as a test."""
EXAMPLES: dict[str, str] = {}
def example_of(operator):
    return ""
