import type { Finding } from '../../model/finding.ts'
import { mask } from '../../model/secret.ts'
import { maskTokens } from '../../model/secrets/token-forms.ts'
import { toEvidence } from '../engine/evidence.ts'
import type { RuleHead } from '../rules/rule.ts'
import type { ServerOffers } from '../scan-offers.ts'
import type { LabelOverrides } from '../../model/tool-label.ts'

export interface CrossOptions {
  /** Labels that a person gave to tools. */
  readonly labels?: LabelOverrides | undefined
}

/** A match of a rule over several servers. */
export interface CrossMatch extends Pick<
  Finding,
  'severity' | 'subject' | 'pointer' | 'message' | 'evidence'
> {}

/** A rule over the offers of all servers that are used together. */
export interface CrossRule extends Omit<RuleHead, 'hits' | 'misses'> {
  readonly find: (all: readonly ServerOffers[], options: CrossOptions) => readonly CrossMatch[]
  readonly hits: readonly (readonly ServerOffers[])[]
  readonly misses: readonly (readonly ServerOffers[])[]
}

export function toFinding(rule: Pick<RuleHead, 'id' | 'remedy'>, match: CrossMatch): Finding {
  const { severity, subject, pointer, message, evidence } = match
  return {
    rule: rule.id,
    severity,
    subject,
    pointer,
    message,
    ...(evidence !== undefined && { evidence: toEvidence(maskTokens(evidence, mask)) }),
    remedy: rule.remedy,
  }
}

/** A server with tools of these names and descriptions, for examples. */
export function exampleServer(server: string, tools: Readonly<Record<string, string>>): ServerOffers {
  return {
    server,
    tools: Object.entries(tools).map(([name, description]) => ({
      name,
      description,
      inputSchema: { type: 'object' },
    })),
    prompts: [],
    resources: [],
    resourceTemplates: [],
  }
}
