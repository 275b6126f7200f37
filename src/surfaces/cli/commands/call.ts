import type { Host, Json, JsonObject } from '../../../index.ts'
import { leave } from '../context.ts'
import type { Cli } from '../context.ts'
import { drawResult, isFailed } from '../tool-result.ts'
import { parsePairs } from '../tool-arguments.ts'
import { parseRef } from '../tool-ref.ts'
import { callOptions, checkName, redactJson, withHost } from '../with-host.ts'
import type { WaitFlags } from '../with-host.ts'
import { parseObject } from './request.ts'

/** Calls one tool, and prints what it answers. */
export async function call(cli: Cli, flags: WaitFlags, ref: string, ...words: string[]): Promise<void> {
  const { server: name, tool } = parseRef(ref)
  const isObject = words.length === 1 && words[0]?.trimStart().startsWith('{') === true
  const read = isObject ? parseObject(words.join(''), 'The arguments') : undefined
  const pairs = parsePairs(isObject ? [] : words)
  await withHost(cli, flags, async ({ host, output, waiting, signal }) => {
    const server = checkName(host, flags, name)
    const options = callOptions(flags, signal)
    const schema = read === undefined && words.length > 0 ? await schemaOf(host, server, tool, options) : {}
    waiting.say(`${server}: ${tool}`)
    const result = await host.request(
      server,
      'tools/call',
      { name: tool, arguments: read ?? pairs(schema) },
      { ...options, onProgress: (progress) => waiting.progressed(`${server}: ${tool}`, progress) },
    )
    const clean = redactJson(result, host)
    output.result(clean, () => drawResult(clean))
    if (!isFailed(clean)) return
    leave(cli, 'refused')
    output.note(`"${tool}" says that it failed.`)
  })
}

/** What the tool says of its arguments; a tool that is not listed can be called all the same. */
async function schemaOf(
  host: Host,
  server: string,
  tool: string,
  options: ReturnType<typeof callOptions>,
): Promise<JsonObject> {
  const { items } = await host.list(server, 'tools', options)
  const found = (items as readonly JsonObject[]).find(({ name }) => name === tool) // definitions that were checked
  const schema: Json = found?.['inputSchema'] ?? {}
  return schema as JsonObject // one that is none is left out of the list
}
