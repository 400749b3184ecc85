export * from './errors.ts'
export type { HealthCheck, HealthSource } from './health/health.ts'
export { type HttpServer, type HttpServerOptions, openHttpServer } from './http-server.ts'
