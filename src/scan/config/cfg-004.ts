import type { ConfigRule } from './config-rule.ts'
import { startedPackage } from '../../model/launch/started-package.ts'

/** T03: `npx pkg` runs whatever was published last. */
export const unpinnedPackage: ConfigRule = {
  id: 'CFG-004',
  severity: 'low',
  title: 'Package without an exact version',
  reason: 'Another program may run tomorrow without any change here.',
  remedy: 'Name the exact version or digest; `plugboard lock --pin-packages` does it.',
  hits: [
    { command: 'npx', args: ['-y', 'some-server'] },
    { command: 'uvx', args: ['some-server@latest'] },
    { command: 'docker', args: ['run', '-i', '-e', 'KEY', 'acme/server:latest'] },
  ],
  misses: [
    { command: 'npx', args: ['-y', '@acme/server@1.2.3'] },
    { command: 'uvx', args: ['some-server==1.2.3'] },
    { command: 'docker', args: ['run', '-i', 'acme/server:1.2.3'] },
    { command: 'some-server', args: [] },
  ],
  find: (server) => {
    const found = startedPackage(server)
    if (!found || found.version !== undefined || isLocal(found.spec)) return []
    const message = `${found.runner} starts "${found.name}" in whatever version is current.`
    return [{ severity: 'low', pointer: `/args/${found.index}`, message, evidence: found.spec }]
  },
}

/** A folder or file is no package. */
function isLocal(spec: string): boolean {
  return /^(?:\.{0,2}\/|~|file:|[A-Za-z]:\\|\$\{)/.test(spec)
}
