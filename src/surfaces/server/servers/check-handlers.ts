import { explain, HostError, isHostError } from '../../../index.ts'
import type { Explanation, ToolExplanation } from '../../../index.ts'
import { describePredicate } from '../../../internal.ts'
import { hideSecrets } from '../../facts/hide-secrets.ts'
import { describePlace } from '../../facts/place-facts.ts'
import { problemSentence, describeProblem } from '../../facts/problem-facts.ts'
import { trustSentence } from '../../facts/state-facts.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import { recordOf } from './server-record.ts'
import { shortener } from './shown-paths.ts'

/** Answers to "why" and "what is wrong". */
export const checkHandlers = {
  'GET /api/why': async (context, { query }) => {
    const name = query?.name ?? ''
    const { host } = context
    const explanations = explain(host.discovery, name)
    if (explanations.length > 0) {
      const { toExplanationJson } = await import('../../cli/commands/servers/explanation.ts')
      return {
        kind: 'server',
        sentences: explanations.flatMap((each) => serverSentences(each, context)),
        detail: withoutSecrets(explanations.map((each) => toExplanationJson(each, host.discovery))),
      }
    }
    await recordOf(context).readKnown()
    const found = whyTool(context, name)
    return { kind: 'tool', sentences: toolSentences(found).map(escapeLine), detail: found }
  },

  'GET /api/doctor': async (context, _input, { signal }) => {
    const { host } = context
    const { examine, toExaminationJson } = await import('../../cli/commands/connections/examine-server.ts')
    const names = [...new Set(host.discovery.servers.map(({ name }) => name))]
    const explanations = names.flatMap((name) => explain(host.discovery, name))
    const probing = { host, signal, remainingMs: () => undefined, waitLine: { show: () => undefined } }
    const { withFindings } = await import('../../cli/commands/connections/examine-findings.ts')
    const found = await withFindings(
      await Promise.all(explanations.map((each) => examine(each, probing, { starts: true }))),
      { isWithheld: false },
    )
    const checks = withoutSecrets(toExaminationJson(found, host.discovery)) as readonly Record<
      string,
      unknown
    >[] // redacting keeps the shape
    return { checks, failed: found.filter(({ health }) => health !== 'ok' && health !== 'off').length }
  },

  'GET /api/store': async ({ store: open }) => {
    const { store, problems } = await open()
    const [problem] = problems
    const said = problem && { problem: [problem.message, problem.hint].filter(Boolean).join(' ') }
    if (!store) return { ...said }
    const { driver, place, bytes, rows } = await store.status()
    return { driver, place, ...(bytes !== undefined && { bytes }), rows, ...said }
  },
} satisfies Partial<Handlers>

/** The explanation of a server in sentences: which declaration counts, why, and what stands in its way. */
function serverSentences(
  { winner, reason, trust, hidden, diagnostics }: Explanation,
  context: ServeContext,
): readonly string[] {
  const shorten = shortener(context)
  const off = winner && !winner.enabled
  return [
    escapeLine(reason),
    ...(winner ? [`It is declared in ${describePlace(winner.origin, shorten).shown}.`] : []),
    ...(off
      ? [
          winner.disabledBy === undefined
            ? 'It is switched off.'
            : `It is switched off by ${escapeLine(winner.disabledBy)}.`,
        ]
      : []),
    ...(trust && trust !== 'trusted' ? [trustSentence(trust)] : []),
    ...hidden.map(({ server, by, trust: waits }) => {
      const place = describePlace(server.origin, shorten).shown
      return waits
        ? `The declaration in ${place} waits for your trust, and is then in force.`
        : `The declaration in ${place} is hidden by ${describePlace(by, shorten).shown}.`
    }),
    ...diagnostics.map((found) => problemSentence(describeProblem(found, shorten))),
  ]
}

function whyTool({ host }: ServeContext, name: string): ToolExplanation {
  try {
    return host.why(name)
  } catch (error) {
    if (!isHostError(error, 'tool.unknown')) throw error
    const { near } = error.data
    throw new HostError(
      'server.unknown',
      { server: name, near: near ?? [] },
      `No server "${name}" is declared here, and no tool of that name is known.`,
      { hint: near && near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard list' },
    )
  }
}

const effects = { allow: 'It runs.', ask: 'It runs after an approval.', deny: 'It does not run.' } as const

function toolSentences({ visibility, decision, depends = [] }: ToolExplanation): readonly string[] {
  return [
    `${visibility.visible ? 'It is offered.' : 'It is hidden.'} ${visibility.reason}`,
    `${effects[decision.effect]} ${decision.reason}`,
    ...depends.map(
      ({ effect, when, reason }) =>
        `Where ${when.map(describePredicate).join(' and ')}: ${effects[effect]} ${reason}`,
    ),
  ]
}

function withoutSecrets(value: unknown): unknown {
  return JSON.parse(hideSecrets(JSON.stringify(value, undefined, 2)))
}
