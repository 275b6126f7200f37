import type { JsonObject } from '../../../../index.ts'
import { escapeJson } from '../../../terminal/escape.ts'
import type { Cli, GivenServerFlags, WaitFlags } from '../../command-context.ts'
import { usage } from '../../errors.ts'
import { callOptions, checkName, redactJson, withHost } from '../../with-host.ts'
import { noteHeld } from '../offers/offer-problems.ts'

/** Answers in which the host leaves out what is held. */
const mayListHeld = /\/list$|^initialize$|^server\/discover$/

/**
 * Sends any protocol request and prints its result unchanged, except for secrets and for definitions that are held; with
 * `--json` as `result` of a document.
 */
export async function request(
  cli: Cli,
  flags: WaitFlags & GivenServerFlags,
  ...words: readonly (string | undefined)[]
): Promise<void> {
  const isGiven = flags.stdio !== undefined || flags.url !== undefined
  const [name = '', method, params, more] = isGiven ? ['', ...words] : words
  if (method === undefined) throw usage('Expected argument for METHOD', 'See: plugboard request --help')
  if (more !== undefined) throw usage(`Too many arguments: "${more}"`, '--stdio and --url name the server.')
  const given = params === undefined ? undefined : parseObject(params, 'The parameters')
  await withHost(cli, flags, async (context) => {
    const { host, output, waitLine } = context
    const server = context.given ?? (await checkName(host, flags, name))
    const result = await host.request(server, method, given, {
      ...callOptions(context),
      onProgress: (progress) => waitLine.showProgress(`${server} ${method}`, progress),
    })
    const shown = redactJson(result, host)
    if (mayListHeld.test(method)) noteHeld(host, output, (each) => each.server === server)
    output.result({ result: shown }, () => escapeJson(JSON.stringify(shown, undefined, 2)))
  })
}

export function parseObject(text: string, what: string, example = anyObject): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject // it was JSON
  } catch (error) {
    throw usage(
      `${what} are not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
      example,
    )
  }
  throw usage(`${what} must be a JSON object.`, example)
}

const anyObject = `For example: '{"key": "value"}'.`
