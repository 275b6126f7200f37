import { canonicalize } from '../model/canonical.ts'
import type { Json } from '../model/json.ts'
import { sortTools, toFirstComment } from './generate-module.ts'
import type { GeneratedFunction, GeneratedModule, GeneratedTool } from './generate-module.ts'
import { IdentifierPool } from './identifiers.ts'
import { toLiteral } from './source-text.ts'

/**
 * A program with a command for each tool of a server. The definitions are JSON in string literals, because an object in
 * JavaScript gives `__proto__` a meaning; everything else is the same for every server.
 */
export function generateProgram(server: string, tools: readonly GeneratedTool[]): GeneratedModule {
  const names = new IdentifierPool(['help'])
  const sorted = sortTools(tools)
  const given = names.kebab(sorted.map(({ tool }) => tool))
  const commands: readonly GeneratedFunction[] = sorted.map(({ tool }, at) => ({
    tool,
    name: given[at] ?? '',
  }))
  const definitions = sorted.map(({ tool, title, description, inputSchema }, at) => {
    const definition = { command: commands[at]?.name, tool, title, description, inputSchema }
    return `    JSON.parse(${toLiteral(canonicalize(definition satisfies Record<string, Json | undefined>))}),`
  })
  const lines = [
    '#!/usr/bin/env node',
    toFirstComment(server),
    '/* eslint-disable */',
    "import { runProgram } from 'plugboard/program'",
    '',
    'await runProgram({',
    `  server: ${toLiteral(server)},`,
    '  tools: [',
    ...definitions,
    '  ],',
    '})',
    '',
  ]
  return { code: lines.join('\n'), functions: commands }
}
