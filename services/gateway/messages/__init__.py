"""One message: its parts, its HTML in a document of its own, its bytes."""
