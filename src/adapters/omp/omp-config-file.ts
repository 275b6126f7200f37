import { readJson, rewriteJson } from '../../config.ts'
import { HostError } from '../../model/error.ts'
import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { ompWords } from '../../presets/omp-words.ts'
import { validateServerConfig, validateServerName } from './omp-server-config.ts'
import type { MCPConfigFile, MCPServerConfig } from './omp-server-config.ts'

/** A missing file has no servers; an unreadable one is an error (O21). */
export async function readMCPConfigFile(filePath: string): Promise<MCPConfigFile> {
  const file = await readJson(filePath)
  return { ...file, mcpServers: serversIn(file, filePath) }
}

/** Replaces the content of the file atomically, by a rename; comments of unchanged parts stay (O17). */
export async function writeMCPConfigFile(filePath: string, config: MCPConfigFile): Promise<void> {
  const content = toJsonObject(config)
  await rewriteJson(filePath, () => content)
}

export async function addMCPServer(filePath: string, name: string, config: MCPServerConfig): Promise<void> {
  const entry = toValidEntry(name, config)
  await editServers(filePath, (servers) => {
    if (Object.hasOwn(servers, name))
      throw new HostError(
        'config.exists',
        { server: name, file: filePath },
        ompWords.alreadyExists(name, filePath),
      )
    return { ...servers, [name]: entry }
  })
}

/** Adds the server if the file does not declare it yet. */
export async function updateMCPServer(
  filePath: string,
  name: string,
  config: MCPServerConfig,
): Promise<void> {
  const entry = toValidEntry(name, config)
  await editServers(filePath, (servers) => ({ ...servers, [name]: entry }))
}

export async function removeMCPServer(filePath: string, name: string): Promise<void> {
  await editServers(filePath, (servers) => {
    const { [name]: removed, ...others } = servers
    if (removed === undefined)
      throw new HostError('server.unknown', { server: name }, `Server "${name}" not found in ${filePath}`)
    return others
  })
}

export async function getMCPServer(filePath: string, name: string): Promise<MCPServerConfig | undefined> {
  const { mcpServers = {} } = await readMCPConfigFile(filePath)
  return Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined
}

export async function listMCPServers(filePath: string): Promise<string[]> {
  return Object.keys((await readMCPConfigFile(filePath)).mcpServers ?? {})
}

/** Edits `disabledServers` of the user's file, which switches off servers of any file. */
export async function setServerDisabled(filePath: string, name: string, disabled: boolean): Promise<void> {
  await rewriteJson(filePath, (file) => {
    const { disabledServers: before, ...rest } = file
    const others = (isStringArray(before) ? before : []).filter((each) => each !== name)
    const list = disabled ? [...others, name] : others
    return list.length > 0 ? { ...rest, disabledServers: list } : rest
  })
}

async function editServers(filePath: string, edit: (servers: JsonObject) => JsonObject): Promise<void> {
  await rewriteJson(filePath, (file) => {
    const servers = serversIn(file, filePath)
    return { ...file, mcpServers: edit(servers as unknown as JsonObject) } // parsed from this file
  })
}

function serversIn(file: JsonObject, filePath: string): Readonly<Record<string, MCPServerConfig>> {
  const servers = file['mcpServers'] ?? {}
  if (isObject(servers)) return servers as unknown as Readonly<Record<string, MCPServerConfig>> // unchecked: as written in the file
  throw new HostError('config.invalid', { file: filePath }, `"mcpServers" in ${filePath} is not an object.`)
}

function toValidEntry(name: string, config: MCPServerConfig): JsonObject {
  const problem = validateServerName(name)
  const problems = problem === undefined ? validateServerConfig(name, config) : [problem]
  if (problems.length === 0) return toJsonObject(config)
  throw new HostError('config.invalid', { server: name }, ompWords.invalidConfig(problems))
}

/** The value without the parts that JSON cannot represent. */
function toJsonObject(value: object): JsonObject {
  const copy = JSON.parse(JSON.stringify(value)) as Json // `JSON.parse` returns JSON
  return isObject(copy) ? copy : {}
}
