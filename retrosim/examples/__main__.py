"""`python -m retrosim.examples` lists the examples."""

from retrosim.examples import list_examples

if __name__ == "__main__":
    for name, title in list_examples().items():
        print(f"python -m retrosim.examples.{name:20} {title}")
