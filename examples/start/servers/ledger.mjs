// A server that cannot start.
process.stderr.write('ledger 1.0.0\nLEDGER_FILE is not set, so there are no books to read.\n')
process.exitCode = 1
