import { popularPackages } from '../cross/popular-names.ts'
import { resembles } from '../cross/xs-003.ts'
import type { ConfigRule } from './config-rule.ts'
import { startedPackage } from '../../model/launch/started-package.ts'

export const misspelledPackage: ConfigRule = {
  id: 'CFG-005',
  severity: 'high',
  title: 'Package with almost the name of a well-known one',
  reason: 'False packages wait under misspelled names.',
  remedy: 'Compare the name with that in the documentation of the server.',
  hits: [
    { command: 'npx', args: ['@modelcontextprotocol/server-filesytem@1.0.0'] },
    { command: 'npx', args: ['@playwrigth/mcp@1.0.0'] },
  ],
  misses: [
    { command: 'npx', args: ['@modelcontextprotocol/server-filesystem@1.0.0'] },
    { command: 'npx', args: ['my-server@1.0.0'] },
  ],
  find: (server) => {
    const found = startedPackage(server)
    const known = found && resembles(found.name, popularPackages)
    if (!found || known === undefined) return []
    const message = `"${found.name}" is almost "${known}".`
    return [{ severity: 'high', pointer: `/args/${found.index}`, message }]
  },
}
