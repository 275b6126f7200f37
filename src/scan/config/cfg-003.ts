import type { ConfigRule } from './config-rule.ts'
import { launchedPrograms } from '../../model/launch/launched-programs.ts'

const elevating = new Set(['sudo', 'doas', 'pkexec', 'su', 'runas', 'gsudo'])

export const elevatedProgram: ConfigRule = {
  id: 'CFG-003',
  severity: 'medium',
  title: 'Server with the rights of another user',
  reason: 'A server that a model controls would act as administrator.',
  remedy: 'Start it as yourself, or give one narrow program the right that it needs.',
  hits: [
    { command: 'sudo', args: ['server'] },
    { command: '/usr/bin/env', args: ['LANG=C', 'doas', 'server'] },
  ],
  misses: [{ command: 'server', args: ['sudo'] }],
  find: (server) =>
    launchedPrograms(server)
      .filter(({ name }) => elevating.has(name))
      .slice(0, 1)
      .map(({ name, offset }) => ({
        severity: 'medium',
        pointer: offset === 0 ? '/command' : `/args/${offset - 1}`,
        message: `The server is started with ${name}.`,
      })),
}
