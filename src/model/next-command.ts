/** The command a person can run next about a server, ready to be pasted into a shell. */
export function nextCommand(verb: string, server: string): string {
  const isPlain = /^[\w@%+:,./-]+$/.test(server)
  const word = isPlain ? server : `'${server.replaceAll("'", String.raw`'\''`)}'`
  return `plugboard ${verb} ${server.startsWith('-') ? '-- ' : ''}${word}`
}
