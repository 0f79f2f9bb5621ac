"""Gaddah and Kunz (G): hand-off schemes for subscribers that move between fixed brokers."""
