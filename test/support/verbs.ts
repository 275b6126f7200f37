/** Every command with valid arguments; none of them may start an untrusted server. */
export function everyVerb(server: string, client: string): readonly (readonly string[])[] {
  return [
    ['list'],
    ['list', '--resolved'],
    ['list', '--trust', '--resolved'],
    ['why', server],
    ['why', server, '--trust'],
    ['sources'],
    ['sources', '--all'],
    ['add', 'another', '--dry-run', '--', 'another-mcp'],
    ['remove', server, '--dry-run'],
    ['enable', server],
    ['disable', server, '--dry-run'],
    ['import', client],
    ['import', client, '--dry-run'],
    ['export', client],
    ['export', client, '--trust', '--dry-run', '--scope', 'project'],
    ['trust', server],
    ['trust', '--all'],
    ['untrust', server],
    ['why', `${server}/tool`],
    ['why', 'some__tool', '--tool'],
    ['test', server],
    ['tools'],
    ['tools', '*'],
    ['tools', '--cost', '--no-start'],
    ['tool', `${server}/tool`],
    ['search', 'words'],
    ['call', `${server}/tool`, 'key=value'],
    ['resources'],
    ['read', 'file:///a', '--server', server],
    ['prompts', server],
    ['prompt', `${server}/name`],
    ['generate', server],
    ['generate', server, '--cli', '--no-start'],
    ['agents'],
    ['models'],
    ['presets'],
    ['doctor', '--no-start'],
    ['request', server, 'tools/list'],
    ['logs', server],
    ['status'],
    ['cache', 'clear', server],
    ['completion', 'bash'],
    ['__complete', '--', 'why', ''],
    ['__complete', '--', 'call', ''],
    ['__complete', '--', 'call', `${server}/tool`, ''],
    ['__complete', '--', 'tools', '--agent', ''],
  ]
}

/** The commands that support `--json`. */
export function everyJsonVerb(server: string, client: string): readonly (readonly string[])[] {
  return everyVerb(server, client).filter(([command]) => command !== '__complete')
}

/** Inserts flags before `--`: everything after it belongs to the server's command. */
export function withFlags(words: readonly string[], ...flags: readonly string[]): readonly string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return [...words.slice(0, end), ...flags, ...words.slice(end)]
}
