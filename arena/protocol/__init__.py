"""The wire in domain terms: conversion to and from protobuf messages, and the check of the protobuf runtime."""
