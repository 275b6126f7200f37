import { isOfProject } from './config-rule.ts'
import type { ConfigRule } from './config-rule.ts'

/** Keys with which clients skip a question, and whether a value does so. */
const skipping: Readonly<Record<string, (value: unknown) => boolean>> = {
  autoApprove: isGranting,
  autoApproved: isGranting,
  alwaysAllow: isGranting,
  alwaysAllowed: isGranting,
  trust: (value) => value === true || value === 'always',
  trusted: (value) => value === true,
  allowAll: (value) => value === true,
  skipConfirmation: (value) => value === true,
  dangerouslySkipPermissions: (value) => value === true,
  approval: (value) => value === 'never' || value === 'auto',
}

export const selfTrust: ConfigRule = {
  id: 'CFG-009',
  severity: 'medium',
  title: 'Project entry that approves itself',
  reason: 'A repository should not decide what runs without a question.',
  remedy: 'Remove the key; approve calls yourself.',
  hits: [
    { command: 'server', autoApprove: ['*'] },
    { command: 'server', trust: true },
  ],
  misses: [
    { command: 'server', autoApprove: [] },
    { command: 'server', trust: false },
  ],
  find: (server) => {
    if (!isOfProject(server)) return []
    return server.declared.flatMap(({ entry }) =>
      Object.entries(entry)
        .filter(([key, value]) => Object.hasOwn(skipping, key) && skipping[key]?.(value))
        .map(([key]) => ({
          severity: 'medium',
          pointer: `/${key}`,
          message: `With "${key}" the entry approves its own calls.`,
        })),
    )
  },
}

function isGranting(value: unknown): boolean {
  return value === true || (Array.isArray(value) && value.length > 0)
}
