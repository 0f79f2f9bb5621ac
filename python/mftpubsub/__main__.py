"""`python -m mftpubsub`: the command `mftpubsub`, where scripts are not on the path."""

from mftpubsub.cli.main import main

main()
