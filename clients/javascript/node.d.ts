// The few parts of Node that the transport uses: there is no package of types where this is checked.

declare module 'node:fs' {
  export function readFileSync(path: string): Uint8Array
}

declare module 'node:net' {
  export interface Socket {
    setNoDelay(isOn: boolean): void
    on(event: string, listener: (value: any) => void): void
    write(data: Uint8Array): boolean
    end(): void
    destroy(): void
  }
  export function connect(options: { host: string, port: number }): Socket
  export function isIP(text: string): number
}

declare module 'node:tls' {
  export function connect(options: any): import('node:net').Socket
  export function checkServerIdentity(name: string, certificate: any): Error | undefined
}

declare const process: { env: Record<string, string | undefined> }

declare module 'node:crypto' {
  export const webcrypto: Crypto
}
