import { quote } from '../terminal/argv.ts'

/** The command line about one server, with its name quoted for a shell. */
export function serverCommand(verb: string, name: string, flags = ''): string {
  return `plugboard ${verb} ${flags}${name.startsWith('-') ? '-- ' : ''}${quote(name)}`
}
