/** The next command for a person to run on a server, quoted so that it can be pasted into a shell. */
export function nextCommand(verb: string, server: string, flags: readonly string[] = []): string {
  const isPlain = /^[\w@%+:,./-]+$/.test(server)
  const word = isPlain ? server : `'${server.replaceAll("'", String.raw`'\''`)}'`
  return ['plugboard', verb, ...flags, ...(server.startsWith('-') ? ['--'] : []), word].join(' ')
}
