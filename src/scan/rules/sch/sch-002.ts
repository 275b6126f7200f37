import { toPointer } from '../../../model/json.ts'
import { parametersOf } from '../parameters.ts'
import type { DefinitionRule, Match } from '../rule.ts'

const forbidden =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|host|content-length|transfer-encoding|connection|origin|referer|upgrade|te|trailer|forwarded|x-forwarded-.*|x-real-ip|mcp-.*|proxy-.*|sec-.*)$/i
const secretName = /pass(?:word|phrase|wd)?|secret|token|api_?key|credential|private|\bpin\b|otp|ssn|card/i

export const headerRule: DefinitionRule = {
  id: 'SCH-002',
  severity: 'medium',
  over: 'definition',
  title: 'Argument copied into a header',
  reason:
    'Arguments in headers reach every proxy on the way and its logs, or replace headers of the connection.',
  remedy: 'Do not use it with secrets; tools that replace headers of the connection are left out.',
  hits: [
    {
      inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'Authorization' } } },
    },
    { inputSchema: { type: 'object', properties: { password: { type: 'string', 'x-mcp-header': 'Key' } } } },
  ],
  misses: [
    { inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } },
  ],
  find: ({ definition }) =>
    parametersOf(definition).flatMap(({ name, schema, path }): Match[] => {
      const header = schema['x-mcp-header']
      if (typeof header !== 'string') return []
      const isBad = forbidden.test(header.replace(/^mcp-param-/i, '')) || /[^\w-]/.test(header)
      const about = typeof schema['description'] === 'string' ? schema['description'].slice(0, 200) : ''
      const isSecret = secretName.test(name) || secretName.test(header) || secretName.test(about)
      return isBad || isSecret
        ? [
            {
              score: 0.5,
              message: `The argument ${name} is sent as header ${JSON.stringify(header)}.`,
              evidence: header,
              pointer: toPointer(path),
            },
          ]
        : []
    }),
}
