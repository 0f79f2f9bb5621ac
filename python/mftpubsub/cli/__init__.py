"""The command `mftpubsub`."""
