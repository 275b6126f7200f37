import { spawn } from 'node:child_process'
import type { Env, Os } from '../platform.ts'

/**
 * T27: opens a page with a program of the system, which receives the address as one argument. No shell reads it, and
 * addresses that are not http or https are refused.
 */
export function showPage(os: Os, env: Env, url: URL): Promise<boolean> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return Promise.resolve(false)
  const [command, ...args] = openers[os]
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url.href], {
      stdio: 'ignore',
      detached: true,
      shell: false,
      env: definedVariables(env),
    })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

const openers: Readonly<Record<Os, readonly [string, ...string[]]>> = {
  linux: ['xdg-open'],
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

function definedVariables(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
