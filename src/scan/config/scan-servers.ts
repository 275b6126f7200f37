import type { Finding } from '../../model/finding.ts'
import { toFinding } from '../cross/cross-rule.ts'
import { inlineProgram } from './cfg-001.ts'
import { downloadedProgram } from './cfg-002.ts'
import { elevatedProgram } from './cfg-003.ts'
import { unpinnedPackage } from './cfg-004.ts'
import { misspelledPackage } from './cfg-005.ts'
import { plainHttp } from './cfg-006.ts'
import { literalSecret } from './cfg-007.ts'
import { passedSecret } from './cfg-008.ts'
import { selfTrust } from './cfg-009.ts'
import { openContainer } from './cfg-010.ts'
import { preloadedCode } from './cfg-011.ts'
import type { ConfigRule, ScannedServer } from './config-rule.ts'

export const configRules: readonly ConfigRule[] = [
  inlineProgram,
  downloadedProgram,
  elevatedProgram,
  unpinnedPackage,
  misspelledPackage,
  plainHttp,
  literalSecret,
  passedSecret,
  selfTrust,
  openContainer,
  preloadedCode,
]

/** What the declarations of servers would start and pass on. Nothing is started, resolved or looked up. */
export function scanServers(servers: readonly ScannedServer[]): readonly Finding[] {
  return servers.flatMap((server) =>
    configRules.flatMap((rule) =>
      rule
        .find(server)
        .map((match) => toFinding(rule, { ...match, subject: { kind: 'server', server: server.name } })),
    ),
  )
}
