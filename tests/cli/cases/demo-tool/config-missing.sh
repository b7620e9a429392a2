demo-tool show --config nowhere.yml
