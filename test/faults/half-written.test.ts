import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MCPManager, reloadMCP } from '../../src/adapters/omp.ts'
import type { Diagnostic } from '../../src/index.ts'
import { startBoocode } from '../support/boocode.ts'
import { namesOf, serverWithTools, toolHost } from '../support/tool-host.ts'
import { startDispatch, namesOf as toolsOfTurn } from '../systems/dispatch-support.ts'
import { ompMachine, userFile } from '../systems/omp-support.ts'

const one = serverWithTools(['go'])
const two = serverWithTools(['go'])
const stays = 'Until this is fixed, the previous content of the file stays in force.'
/** A complete text, cut off in its second server; and the state of a file that a program has just opened for writing. */
const halves = (whole: string) => [whole.slice(0, -12), '']

const problemsOf = (diagnostics: readonly Diagnostic[], file: string) =>
  diagnostics
    .filter(({ origin }) => origin?.file === file)
    .map(({ code, severity, hint, origin }) => ({ code, severity, hint, line: origin?.line }))

const halfWritten = [{ code: 'parse-error', severity: 'error', hint: stays, line: 1 }]

describe('FI-94 a half-written config file keeps its last good content, and a complete one is used at once', () => {
  test.each(['default', 'boocode'] as const)('FI-94 host.reload, preset %s', async (preset) => {
    const settings = preset === 'default' ? {} : { preset }
    await using x = await toolHost({ one }, settings)
    await x.host.ready()
    const before = namesOf(x.host)
    const file = join(x.home, 'servers.json')
    const whole = JSON.stringify({ mcpServers: { one, two } })
    for (const half of halves(whole)) {
      writeFileSync(file, half)
      await x.host.reload()
      expect(namesOf(x.host)).toEqual(before)
      expect(problemsOf(x.host.discovery.diagnostics, file)).toEqual(halfWritten)
    }
    expect(x.host.servers().map(({ name, status }) => [name, status.state])).toEqual([['one', 'ready']])
    expect(x.spawns()).toBe(1)
    writeFileSync(file, whole)
    await x.host.reload()
    expect(x.host.servers().map(({ name }) => name)).toEqual(['one', 'two'])
    expect(problemsOf(x.host.discovery.diagnostics, file)).toEqual([])
    writeFileSync(file, '{}')
    await x.host.reload()
    expect(x.host.servers()).toEqual([])
  })

  test('FI-94 a file that is gone takes its servers with it; a broken one in its place brings none back', async () => {
    await using x = await toolHost({ one })
    const file = join(x.home, 'servers.json')
    const { rmSync } = await import('node:fs')
    rmSync(file)
    await x.host.reload()
    writeFileSync(file, '{"mcpServers": {')
    await x.host.reload()
    expect(x.host.servers()).toEqual([])
    expect(problemsOf(x.host.discovery.diagnostics, file)).toEqual([
      { ...halfWritten[0], hint: 'Fix the text there. Until then no server of this file is used.' },
    ])
  })

  test('FI-94 BooCode: the tables keep their tools, and the log says why', async () => {
    await using boocode = await startBoocode({ one })
    const file = join(boocode.home, 'data/mcp.json')
    writeFileSync(file, '{"mcpServers": {"one": ')
    await boocode.host.reload()
    expect([...boocode.TOOLS_BY_NAME.keys()]).toEqual(['one_go'])
    expect(
      boocode.warnings.filter((line) => line.startsWith(`${file}:1: `) && line.endsWith(stays)),
    ).toHaveLength(1)
  })

  test('FI-94 Dispatch: the turns keep their tools, the log says it once, and nothing restarts', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ one })
    const file = join(cwd, '.dispatch/mcp.json')
    expect(toolsOfTurn(await x.turn(cwd))).toEqual(['one__go'])
    writeFileSync(file, '{"servers": {"one": ')
    expect(toolsOfTurn(await x.turn(cwd))).toEqual(['one__go'])
    expect(toolsOfTurn(await x.turn(cwd))).toEqual(['one__go'])
    expect(x.pids).toHaveLength(1)
    const said = x.host.logs.filter(({ message }) => message.includes(stays))
    expect(said).toEqual([
      expect.objectContaining({ level: 'error', attributes: expect.objectContaining({ file }) as object }),
    ])
    writeFileSync(file, JSON.stringify({ servers: { two } }))
    expect(toolsOfTurn(await x.turn(cwd))).toEqual(['two__go'])
  })

  test('FI-94 omp: a reload that connects again keeps the servers, and reports the file', async () => {
    const machine = ompMachine({ [userFile]: { mcpServers: { one } } })
    const reported: Diagnostic[] = []
    const manager = new MCPManager(machine.project, {
      platform: machine.platform,
      onDiagnostic: (diagnostic) => reported.push(diagnostic),
    })
    onTestFinished(() => manager.disconnectAll())
    await manager.discoverAndConnect()
    const registry = new Map<string, { readonly name: string }>()
    const file = machine.write(userFile, '{"mcpServers": {"one": ')
    await reloadMCP(manager, registry)
    expect([...registry.keys()]).toEqual(['mcp_one_go'])
    expect(problemsOf(reported, file)).toEqual(halfWritten)
    machine.write(userFile, { mcpServers: { two } })
    await reloadMCP(manager, registry)
    expect([...registry.keys()]).toEqual(['mcp_two_go'])
  })
})
