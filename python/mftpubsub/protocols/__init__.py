"""Which protocols there are, and what each is: one row a protocol, in protocols.yaml."""
