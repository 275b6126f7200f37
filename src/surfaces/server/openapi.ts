import { api } from '../api/api.ts'
import { definitions, namedShapes } from '../api/definitions.ts'
import type { Route } from '../api/route.ts'
import { object, ref, text } from '../api/schema-builder.ts'
import type { Schema } from '../api/schema-builder.ts'
import { fault } from '../api/shared-shapes.ts'

/** The API as an OpenAPI document, from the same table that answers requests. */
export function toOpenApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [key, route] of Object.entries(api) as [string, Route][]) {
    const [method = '', path = ''] = key.split(' ')
    const operations = (paths[path.replaceAll(/:(\w+)/g, '{$1}')] ??= {})
    operations[method.toLowerCase()] = operationOf(key, path, route)
  }
  paths['/api/events'] = { get: eventsOperation }
  return atComponents({
    openapi: '3.1.0',
    info: {
      title: 'Plugboard',
      version,
      description:
        'The HTTP API of `plugboard serve`. Every request needs the token of its address as `Authorization: Bearer TOKEN`.',
    },
    servers: [{ url: 'http://127.0.0.1:7777' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: object({ error: fault }),
        ...definitions,
        // Of themselves only the fields are named, not the whole.
        ...Object.fromEntries(Object.entries(namedShapes).map(([name, schema]) => [name, { ...schema }])),
      },
    },
  })
}

function operationOf(key: string, path: string, route: Route): object {
  const { summary, command, query, body, answer, isGuarded } = route
  const notes = [
    ...(command === undefined ? [] : [`As \`${command}\`.`]),
    ...(isGuarded ? ['Needs a code that the terminal of `serve` shows: see `POST /api/codes`.'] : []),
  ]
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text })),
    ...queryParameters(query),
  ]
  return {
    operationId: operationId(key),
    summary,
    ...(notes.length > 0 && { description: notes.join(' ') }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: jsonContent(body) } }),
    responses: {
      200: { description: 'The answer.', content: jsonContent(answer) },
      default: { description: 'An error.', content: jsonContent(ref('Error')) },
    },
  }
}

/** `GET /api/servers/:server/log` becomes `get_servers_server_log`. */
function operationId(key: string): string {
  return key.replace(' /api', '').toLowerCase().replaceAll(/\W+/g, '_')
}

function queryParameters(query: Schema | undefined): readonly object[] {
  if (!query) return []
  const required = query['required'] as readonly string[] // made by `object`
  return Object.entries(query['properties'] as Readonly<Record<string, Schema>>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function jsonContent(schema: Schema): object {
  return { 'application/json': { schema } }
}

const eventsOperation = {
  operationId: 'get_events',
  summary: 'The events, as server-sent events: each has one line of JSON, a snapshot first.',
  parameters: [
    { name: 'epoch', in: 'query', required: false, schema: text },
    { name: 'after', in: 'query', required: false, schema: text },
  ],
  responses: {
    200: { description: 'A stream that does not end.', content: { 'text/event-stream': { schema: text } } },
    default: { description: 'An error.', content: jsonContent(ref('Error')) },
  },
}

/** Named shapes are written once, where OpenAPI keeps shared schemas. */
function atComponents(document: object): object {
  const names = new Map<unknown, string>(Object.entries(namedShapes).map(([name, schema]) => [schema, name]))
  const text = JSON.stringify(document, (_key, value: unknown) => {
    const name = names.get(value)
    return name === undefined ? value : ref(name)
  }).replaceAll('"#/$defs/', '"#/components/schemas/')
  return JSON.parse(text) as object // the same document
}
