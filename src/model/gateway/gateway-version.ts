/** A published configuration of gateways. */
export interface GatewayVersion {
  /** From 1 on. The highest one is in force. */
  readonly number: number
  /** ISO 8601. */
  readonly at: string
  /** The account that published it. */
  readonly by?: string
  readonly message?: string
  /** The version that it repeats, if it was made by a rollback. */
  readonly copyOf?: number
  /** SHA-256 of the text. */
  readonly hash: string
}

export interface GatewayDocument extends GatewayVersion {
  readonly text: string
}

/** The name of the file in which a gateway keeps the configuration in force. @param mark Of the folder that it runs in. */
export function publishedFileName(mark: string): string {
  return `published-${mark}.json`
}

/** Whether a file holds the published configuration, wherever a machine keeps it. */
export function isPublishedFile(file: string): boolean {
  return /[\\/]gateway[\\/]published-[\da-f]{12}\.json$/.test(file)
}

export interface NewGatewayVersion {
  readonly text: string
  readonly by?: string
  readonly message?: string
}

/** Where published configurations are kept. None is changed or removed. */
export interface GatewayVersions {
  /** The newest first. */
  list(limit: number): Promise<readonly GatewayVersion[]>
  /** The version in force, or one by its number. */
  read(number?: number): Promise<GatewayDocument | undefined>
  /** Makes a new version. If the one in force has the same text, that one is returned and nothing is made. */
  publish(version: NewGatewayVersion): Promise<GatewayVersion & { readonly isNew: boolean }>
  /** Makes a new version with the text of an earlier one; `undefined` if there is no such version. */
  rollback(
    number: number,
    by: string | undefined,
  ): Promise<(GatewayVersion & { readonly isNew: boolean }) | undefined>
}
