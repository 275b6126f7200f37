import { isList } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { exampleDrift, objectAt } from './drift-rule.ts'
import type { Drift, DriftMatch, DriftRule } from './drift-rule.ts'

/** A parameter through which data can leave. */
const wayOut =
  /url|uri|webhook|callback|endpoint|host|email|mail|recipient|bcc|(?:^|_)(?:to|cc|notify|forward|upload|share|destination|channel)(?:$|_)/i

export const loosening: DriftRule = {
  id: 'DRF-003',
  severity: 'high',
  title: 'Loosened promises',
  reason: 'It promises less than when it was accepted: rules and approvals that relied on it no longer fit.',
  remedy: 'Review your rules for it, then accept the change.',
  hits: [
    exampleDrift({ annotations: { readOnlyHint: false } }),
    exampleDrift({
      inputSchema: {
        type: 'object',
        properties: { article: { type: 'string' }, notify_url: { type: 'string' } },
      },
    }),
    exampleDrift({
      inputSchema: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
    }),
  ],
  misses: [
    exampleDrift({ annotations: { readOnlyHint: true, destructiveHint: false } }),
    exampleDrift({
      inputSchema: { type: 'object', properties: { article: { type: 'string' }, page: { type: 'number' } } },
    }),
  ],
  find: (drift) => [...looserHints(drift), ...newDemands(drift)],
}

function looserHints({ accepted, current }: Drift): readonly DriftMatch[] {
  const [old, now] = [objectAt(accepted, 'annotations'), objectAt(current, 'annotations')]
  const loosened = [
    ...(old['readOnlyHint'] === true && now['readOnlyHint'] !== true ? ['readOnlyHint'] : []),
    ...(isDestructive(now) && !isDestructive(old) ? ['destructiveHint'] : []),
    ...(old['openWorldHint'] === false && now['openWorldHint'] !== false ? ['openWorldHint'] : []),
    ...(old['idempotentHint'] === true && now['idempotentHint'] !== true ? ['idempotentHint'] : []),
  ]
  return loosened.map((hint) => ({
    severity: 'high',
    message: `Its annotation ${hint} promises less than before.`,
    pointer: `/annotations/${hint}`,
  }))
}

/** A tool that is not read-only counts as destructive unless it says otherwise. */
const isDestructive = (hints: JsonObject) =>
  hints['readOnlyHint'] !== true && hints['destructiveHint'] === true

function newDemands({ accepted, current }: Drift): readonly DriftMatch[] {
  const [old, now] = [objectAt(accepted, 'inputSchema'), objectAt(current, 'inputSchema')]
  const known = new Set(Object.keys(objectAt(old, 'properties')))
  const required = new Set(isList(old['required']) ? old['required'] : [])
  const demanded = (isList(now['required']) ? now['required'] : []).filter(
    (name): name is string => typeof name === 'string' && !required.has(name),
  )
  const outgoing = Object.keys(objectAt(now, 'properties')).filter(
    (name) => !known.has(name) && wayOut.test(name),
  )
  return [
    ...demanded.map((name): DriftMatch => ({
      severity: 'high',
      message: `Its argument ${name} is now required.`,
      pointer: '/inputSchema/required',
      evidence: name,
    })),
    ...outgoing.map((name): DriftMatch => ({
      severity: 'high',
      message: `Its new argument ${name} can carry data away.`,
      pointer: '/inputSchema/properties',
      evidence: name,
    })),
  ]
}
