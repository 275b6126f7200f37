export const modernVersion = '2026-07-28'
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const meta = (name) => `io.modelcontextprotocol/${name}`
export const subscriptionKey = meta('subscriptionId')

export function isModern(message) {
  return message.params?._meta?.[meta('protocolVersion')] !== undefined
}

/** The answer of a correct server: `{ result }` or `{ error }`. */
export function goodAnswer(call) {
  const { message, server } = call
  const problem = checkEra(message, server.script)
  if (problem) return { error: problem, isEnvelope: problem.code !== -32601 }
  const { results = {} } = server.script
  const answer = Object.hasOwn(results, message.method) ? { result: results[message.method] } : byMethod(call)
  if (!answer) return { error: unknownMethod(message) }
  return isModern(message) && answer.result ? { result: modernResult(answer.result, call) } : answer
}

const byMethod = (call) => {
  const { message, server } = call
  const { script } = server
  const params = message.params ?? {}
  switch (message.method) {
    case 'initialize':
      return { result: initializeResult(params, script) }
    case 'server/discover':
      return { result: { supportedVersions: modernVersions(script), ...about(script) } }
    case 'ping':
    case 'logging/setLevel':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return { result: {} }
    case 'tools/list':
      return { result: toolsPage(params.cursor, server) }
    case 'tools/call':
      return { result: toText({ name: params.name, arguments: params.arguments ?? {} }) }
    case 'prompts/list':
      return script.prompts && { result: { prompts: script.prompts } }
    case 'prompts/get':
      return { result: { messages: [{ role: 'user', content: { type: 'text', text: params.name } }] } }
    case 'resources/list':
      return script.resources && { result: { resources: script.resources } }
    case 'resources/templates/list':
      return script.templates && { result: { resourceTemplates: script.templates } }
    case 'resources/read':
      return { result: { contents: [{ uri: params.uri, text: params.uri }] } }
    default:
      return undefined
  }
}

export function toText(value) {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] }
}

function checkEra(message, script) {
  const requested = message.params?._meta?.[meta('protocolVersion')]
  if (script.era === 'legacy')
    return message.method === 'server/discover' ? unknownMethod(message) : undefined
  if (requested === undefined && script.era === 'both') return undefined
  if (requested === undefined) {
    return message.method === 'initialize'
      ? unknownMethod(message)
      : { code: -32602, message: `_meta["${meta('protocolVersion')}"] is missing` }
  }
  if (!modernVersions(script).includes(requested)) {
    return {
      code: -32022,
      message: 'Unsupported version',
      data: { supported: modernVersions(script), requested },
    }
  }
  if (message.params._meta[meta('clientCapabilities')] === undefined) {
    return { code: -32602, message: `_meta["${meta('clientCapabilities')}"] is missing` }
  }
  return message.method === 'initialize' ? unknownMethod(message) : undefined
}

function unknownMethod({ method }) {
  return { code: -32601, message: `Method not found: ${method}` }
}

function modernVersions({ versions = [modernVersion] }) {
  return versions.filter((version) => !legacyVersions.includes(version))
}

function initializeResult({ protocolVersion }, script) {
  const offered = (script.versions ?? legacyVersions).filter((version) => version !== modernVersion)
  const version = offered.includes(protocolVersion) ? protocolVersion : offered[0]
  return { protocolVersion: version, serverInfo: infoOf(script), ...about(script) }
}

function about({ capabilities = { tools: { listChanged: true } }, instructions }) {
  return { capabilities, ...(instructions === undefined ? {} : { instructions }) }
}

function infoOf({ info = { name: 'faulty-server', version: '1.0.0' } }) {
  return info
}

const cached = /^(server\/discover|resources\/read|.*\/list)$/

function modernResult(result, { message, server: { script } }) {
  const freshness = { ttlMs: script.ttlMs ?? 0, cacheScope: script.cacheScope ?? 'private' }
  return {
    resultType: 'complete',
    ...(cached.test(message.method) ? freshness : {}),
    _meta: { [meta('serverInfo')]: infoOf(script) },
    ...result,
  }
}

function toolsPage(cursor, server) {
  const { pages } = server.script
  const tools = toolsOf(server)
  const page = Number(/^page-(\d+)$/.exec(cursor ?? '')?.[1] ?? 0)
  if (pages === 'same-cursor') return { tools, nextCursor: 'page-1' }
  if (pages === 'new-cursor') {
    return {
      tools: tools.map((tool) => ({ ...tool, name: `${tool.name}-${page}` })),
      nextCursor: `page-${page + 1}`,
    }
  }
  if (!pages) return { tools }
  const size = Math.ceil(tools.length / pages)
  const part = tools.slice(page * size, (page + 1) * size)
  return page + 1 < pages ? { tools: part, nextCursor: `page-${page + 1}` } : { tools: part }
}

/** A number, `{ count, bytes, changing }`, or definitions, which are sent unchanged. */
function toolsOf(server) {
  const { tools = 1 } = server.script
  if (Array.isArray(tools)) return tools
  const { count, bytes = 0, changing = false } = typeof tools === 'number' ? { count: tools } : tools
  const generation = changing ? ` (list ${++server.lists})` : ''
  return Array.from({ length: count }, (_, index) => ({
    name: `tool-${index}`,
    description: `Tool ${index}${generation}`.padEnd(bytes, '.'),
    inputSchema: { type: 'object' },
  }))
}
