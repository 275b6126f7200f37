/** The part of pngjs that the tests use; the package has no types. */
declare module 'pngjs' {
  export class PNG {
    constructor(options: { readonly width: number; readonly height: number })
    readonly data: Uint8Array
    static readonly sync: {
      read(bytes: Uint8Array): PNG
      write(image: PNG, options?: { readonly deflateLevel?: number; readonly colorType?: 2 }): Buffer
    }
  }
}
