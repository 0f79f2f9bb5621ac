"""Subscribers that move between fixed brokers: hand-off schemes after Gaddah and Kunz (G).

`analytic` has G's Markov models; `scenario` and `world` run one cell of its evaluation, `study` all of them.
"""
