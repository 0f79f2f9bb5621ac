"""Subscribers that move between fixed brokers: one cell of Gaddah and Kunz's evaluation."""
