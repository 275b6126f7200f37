import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../support/programs/program.ts'

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))

async function run(name: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-examples-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const env = { HOME: home, USERPROFILE: home, PATH: process.env['PATH'] }
  const { code, stdout, stderr } = await runProgram(process.execPath, [example(name)], { env })
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

test('C16 C17 examples/systems.mjs: shows names and answers of the same two servers in all three systems', async () => {
  expect(await run('systems.mjs')).toMatchInlineSnapshot(`
    "BooCode   12 tools
    Dispatch  22 tools
    omp       23 tools

    everything/echo {"message":"hello"}
      BooCode   everything_echo
                Echo: hello
      Dispatch  everything__echo
                {"content":"Echo: hello"}
      omp       mcp_everything_echo
                Echo: hello

    everything/get-tiny-image {}
      BooCode   everything_get-tiny-image
                Here's the image you requested:
                [image: image/png, 4033 bytes]
                The image above is the MCP logo.
      Dispatch  everything__get-tiny-image
                {"content":"Here's the image you requested:\\n[image: image/png, 4033 bytes]\\nThe image above is the MCP logo."}
      omp       mcp_everything_get_tiny_image
                Here's the image you requested:
                [image: image/png, 4033 bytes]
                The image above is the MCP logo.

    memory/open_nodes {"names":"not a list"}
      BooCode   memory_open_nodes
                {"error":true,"output":"MCP error -32602: Input validation error: Invalid arguments for tool open_nodes: Invalid input: expected array, received string at names"}
      Dispatch  memory__open_nodes
                {"content":"\\"memory__open_nodes\\" was not called, because its arguments are invalid:\\n- names: expected array, got \\"not a list\\"","isError":true}
      omp       mcp_memory_open_nodes
                MCP error: "mcp_memory_open_nodes" was not called, because its arguments are invalid:
                - names: expected array, got "not a list"
    "
  `)
})

test.each([
  ['boocode', 'everything_echo', 'Echo: hello'],
  ['dispatch', 'everything__echo', { content: 'Echo: hello' }],
  ['omp', 'mcp_everything_echo', 'Echo: hello'],
])('examples/systems/%s.mjs: runs on its own', async (system, name, answer) => {
  const { answers } = JSON.parse(await run(`systems/${system}.mjs`)) as {
    readonly answers: readonly unknown[]
  }
  expect(answers[0]).toEqual({ name, answer })
})
