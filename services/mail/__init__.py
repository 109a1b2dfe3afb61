"""Talking to mail servers: one package a protocol, all of them behind `contracts.provider`."""
